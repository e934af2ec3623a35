-- Of which types are the objects that no root reaches?
SELECT type, dead_count AS objects, dead AS bytes
FROM types
WHERE dead > 0
ORDER BY dead DESC
LIMIT 100
