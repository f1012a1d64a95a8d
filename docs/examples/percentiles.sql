-- Percentiles of calls per run and function, as in xray,account, of a data set in the folder OUT (tools/dataset).
COPY (
    SELECT trace, xray_function_id AS function, count(*) AS calls,
        list_sort(list(xray_call_ticks))[1 + count(*) * 50 // 100] AS median,
        list_sort(list(xray_call_ticks))[1 + count(*) * 90 // 100] AS p90,
        list_sort(list(xray_call_ticks))[1 + count(*) * 99 // 100] AS p99
    FROM read_parquet('OUT/*/*/*/*.parquet', hive_partitioning = true)
    WHERE xray_call_ticks IS NOT NULL
    GROUP BY ALL ORDER BY ALL
) TO 'percentiles.csv' (HEADER);
