-- What does each static variable keep alive?
-- An object counts for the static variable that is its nearest root.
SELECT root, count(*) AS objects, sum(size) AS bytes
FROM objects
WHERE root LIKE 'static%'
GROUP BY root
ORDER BY bytes DESC
LIMIT 100
