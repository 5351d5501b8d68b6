CREATE TABLE IF NOT EXISTS booking (payment_id varchar(255));
CREATE TABLE IF NOT EXISTS refund (refund_id varchar(255), done_by varchar(10));
