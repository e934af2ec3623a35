-- Which types hold duplicates of strings?
-- Which types hold strings that exist more than once, and of how many bytes?
WITH texts AS MATERIALIZED (
  SELECT heap, address, size, text(address, heap) AS text
  FROM objects
  WHERE type = 'string'
), copies AS (
  SELECT *, count(*) OVER (PARTITION BY heap, text) AS copies_count
  FROM texts
  WHERE text IS NOT NULL
), held AS (
  SELECT DISTINCT h.type, c.heap, c.address, c.size, c.text
  FROM copies AS c
  JOIN refs AS r ON r.target = c.address AND r.heap = c.heap
  JOIN objects AS h ON h.address = r.source AND h.heap = r.heap
  WHERE c.copies_count > 1
)
SELECT type, count(*) AS strings, count(DISTINCT text) AS texts,
       sum(size) AS size
FROM held
GROUP BY type
ORDER BY size DESC
LIMIT 1000
