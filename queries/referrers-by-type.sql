-- Which types refer to which, and how often?
SELECT h.type, t.type AS refers_to, count(*) AS "references"
FROM refs AS r
JOIN objects AS h ON h.address = r.source AND h.heap = r.heap
JOIN objects AS t ON t.address = r.target AND t.heap = r.heap
GROUP BY h.type, t.type
ORDER BY 3 DESC
LIMIT 1000
