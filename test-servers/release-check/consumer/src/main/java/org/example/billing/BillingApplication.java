package org.example.billing;

import io.dedup.DedupContext;
import io.dedup.http.HttpDedup;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.clients.DedupPoll;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with one listener; and one class of each module, so that the compiler looks for it there. */
@SpringBootApplication
public class BillingApplication {
    static final List<Class<?>> ONE_OF_EACH_MODULE = List.of(
            DedupContext.class,
            HttpDedup.class,
            KafkaDedup.class,
            DedupPoll.class,
            RocketMqDedup.class,
            RemotingDedup.class,
            DedupProperties.class,
            JdbcDedupStore.class,
            RedisDedupStore.class);

    public static void main(String[] args) {
        SpringApplication.run(BillingApplication.class, args);
    }
}
