package io.dedup.examples.rocketmqspring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.spring.annotation.ConsumeMode;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Books each order once, in the order of its queue. It contains nothing of dedup: the topic's entry in application.yml is enough.
 */
@Component
@RocketMQMessageListener(
        topic = "orders",
        consumerGroup = "bookings",
        consumeMode = ConsumeMode.ORDERLY,
        suspendCurrentQueueTimeMillis = 100)
class Bookings implements RocketMQListener<ShopApplication.Order> {
    private final JdbcTemplate database;
    private final Set<String> failed = ConcurrentHashMap.newKeySet();

    Bookings(JdbcTemplate database) {
        this.database = database;
    }

    @Override
    @Transactional
    public void onMessage(ShopApplication.Order order) {
        database.update("INSERT INTO booking VALUES (?, ?)", order.item(), order.amount());
        if (order.item().startsWith("fail") && failed.add(order.item())) {
            throw new IllegalStateException("the first attempt of " + order.item() + " fails");
        }
    }
}
