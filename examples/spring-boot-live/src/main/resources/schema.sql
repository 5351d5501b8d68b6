-- The orders that the shop took, so that it can send their messages again.
CREATE TABLE IF NOT EXISTS placed (
    order_id varchar(1000) PRIMARY KEY, customer varchar(100), cents bigint, number bigint GENERATED ALWAYS AS IDENTITY);
CREATE SEQUENCE IF NOT EXISTS order_number START 1001;
-- The effects, a table per listener. Without a unique key: an effect that happens twice is two rows.
CREATE TABLE IF NOT EXISTS charge (order_id varchar(1000), customer varchar(100), cents bigint);
CREATE TABLE IF NOT EXISTS charge_without_dedup (order_id varchar(1000), customer varchar(100), cents bigint);
CREATE TABLE IF NOT EXISTS mail (order_id varchar(1000), customer varchar(100), cents bigint);
CREATE INDEX IF NOT EXISTS charge_order ON charge (order_id);
CREATE INDEX IF NOT EXISTS charge_without_dedup_order ON charge_without_dedup (order_id);
CREATE INDEX IF NOT EXISTS mail_order ON mail (order_id);
