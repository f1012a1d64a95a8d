-- What XRay should not record next time: never.txt for clang's -fxray-attr-list, from account.csv (docs/questions.md), whose names are as linked.
-- These functions have 1 % of the records or more, a smaller part of the self time, and half of a usual call of theirs is what the recorder takes.
CREATE TEMP TABLE costs AS
WITH account AS (SELECT *, 2 * calls - unwound AS records FROM read_csv('account.csv') WHERE self_ns IS NOT NULL),
-- so long are the two records of a call apart that does nothing
recorder AS (SELECT greatest(min(median_ns), 1) AS ns FROM account WHERE calls >= 100)
SELECT records,
    round(100 * records / sum(records) OVER (), 1) AS records_percent,
    round(100 * self_ns / sum(self_ns) OVER (), 1) AS self_percent,
    round(100 * ns / greatest(ns, least(median_ns, self_ns / calls)), 1) AS recorder_percent,
    records_percent >= 1 AND records_percent > self_percent AND recorder_percent >= 50 AND regexp_full_match(function, '[\w.$]+') AS never,
    function
FROM account, recorder;

-- clang knows a function without what the linker adds, a constructor or destructor by one of two names, and `$` in a list by `*` only
COPY (
    WITH names AS (
        SELECT *, replace(regexp_replace(function, '\.llvm\..*', ''), '$', '*') AS name FROM costs WHERE never),
    lines AS (
        SELECT NULL AS records, '' AS function, 0 AS place,
            '# leaves ' || coalesce(sum(records) FILTER (NOT never), 0) || ' of ' || sum(records) || ' records of calls' AS line
        FROM costs
        UNION ALL
        SELECT NULL, '', 1, '[never]'
        UNION ALL
        SELECT records, function, 2, '# ' || records_percent || ' % of the records, ' || self_percent || ' % of the self time' FROM names
        UNION ALL
        SELECT records, function, 3, 'fun:' || unnest(list_distinct([name, regexp_replace(name, '([CD])1([EI])', '\12\2', 'g'),
            regexp_replace(name, '([CD])2([EI])', '\11\2', 'g')]))
        FROM names)
    SELECT line FROM lines ORDER BY records DESC NULLS FIRST, function, place, line
) TO 'never.txt' (HEADER false, QUOTE '', DELIMITER E'\t');

FROM costs ORDER BY records DESC, function;
