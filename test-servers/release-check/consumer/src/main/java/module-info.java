/** Compiles only if dedup's jars have the names that they promise. */
module org.example.billing {
    requires io.dedup;
    requires io.dedup.kafka;
    requires io.dedup.kafka.clients;
    requires io.dedup.rocketmq;
    requires io.dedup.rocketmq.remoting;
    requires io.dedup.spring.boot;
    requires io.dedup.store.jdbc;
    requires io.dedup.store.redis;
    requires spring.boot;
    requires spring.boot.autoconfigure;
    requires spring.context;
    requires spring.kafka;
}
