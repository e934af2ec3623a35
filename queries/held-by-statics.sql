-- How many bytes does each static variable keep alive, as far as it is the nearest root?
SELECT root, count(*) AS objects, sum(size) AS bytes
FROM objects
WHERE root LIKE 'static%'
GROUP BY root
ORDER BY bytes DESC
LIMIT 100
