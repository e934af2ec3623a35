-- Which of my objects do several others keep?
-- Lists the program's own objects that are kept by objects of different types.
SELECT o.type, o.address, count(DISTINCT h.type) AS types,
       count(DISTINCT h.address) AS referrers, o.size
FROM objects AS o
JOIN refs AS r ON r.target = o.address AND r.heap = o.heap
JOIN objects AS h ON h.address = r.source AND h.heap = r.heap
WHERE o."in" > 1 AND o.type NOT LIKE 'System.%' AND o.type LIKE '%.%'
GROUP BY o.heap, o.address
HAVING count(DISTINCT h.type) > 1
ORDER BY types DESC, referrers DESC
LIMIT 1000
