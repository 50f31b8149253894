-- Orders of one customer, newest first.
SELECT o.id, o.placed_at, SUM(l.quantity * l.price) AS total
FROM orders o
JOIN order_lines l ON l.order_id = o.id
WHERE o.customer_id = :customer
GROUP BY o.id, o.placed_at
ORDER BY o.placed_at DESC;
