-- Which types have grown between two heaps?
SELECT a.type, b.count - a.count AS objects, b.size - a.size AS bytes,
       a.heap AS "from", b.heap AS "to"
FROM types AS a
JOIN types AS b ON b.type = a.type AND b.heap <> a.heap
WHERE b.size > a.size
ORDER BY bytes DESC
LIMIT 100
