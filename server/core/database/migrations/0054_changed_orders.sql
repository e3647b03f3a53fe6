-- 1: a change (XO, XX) has set one of the order numbers. Found by index, since each new order is compared with them.
ALTER TABLE hospital_orders ADD COLUMN is_changed INTEGER NOT NULL DEFAULT 0;
UPDATE hospital_orders SET is_changed = 1 WHERE items LIKE '%"isChange":true%';
CREATE INDEX hospital_orders_changed ON hospital_orders (is_changed);
