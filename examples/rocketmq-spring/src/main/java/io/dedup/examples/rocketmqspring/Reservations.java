package io.dedup.examples.rocketmqspring;

import io.dedup.spring.boot.Deduplicated;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.spring.annotation.RocketMQMessageListener;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.springframework.stereotype.Component;

/** Makes one reservation for each request. Whoever sends the request again gets the first reply again. */
@Component
@Deduplicated(id = "property:request-id", window = "1h")
@RocketMQMessageListener(topic = "reservations", consumerGroup = "reservations", replyTimeout = 30_000)
class Reservations implements RocketMQReplyListener<ShopApplication.Order, String> {
    private final AtomicInteger made = new AtomicInteger();

    @Override
    public String onMessage(ShopApplication.Order order) {
        return order.item() + " reservation " + made.incrementAndGet();
    }
}
