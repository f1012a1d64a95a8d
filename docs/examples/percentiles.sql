-- Percentiles of calls per run and function, as in xray,account, of a data set in the folder OUT (tools/dataset).
COPY (
    SELECT trace, function_id AS function, count(*) AS calls,
        list_sort(list(duration_ns))[1 + count(*) * 50 // 100] AS median,
        list_sort(list(duration_ns))[1 + count(*) * 90 // 100] AS p90,
        list_sort(list(duration_ns))[1 + count(*) * 99 // 100] AS p99
    FROM read_parquet('OUT/*/*/*/*.parquet', hive_partitioning = true)
    WHERE NOT unwound
    GROUP BY ALL ORDER BY ALL
) TO 'percentiles.csv' (HEADER);
