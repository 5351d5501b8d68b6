CREATE TABLE bill (customer varchar(100), cents bigint);
