-- Which types hold the most bytes of strings?
SELECT h.type, count(*) AS strings, sum(s.size) AS bytes
FROM objects AS s
JOIN refs AS r ON r.target = s.address AND r.heap = s.heap
JOIN objects AS h ON h.address = r.source AND h.heap = r.heap
WHERE s.type = 'string'
GROUP BY h.type
ORDER BY bytes DESC
LIMIT 100
