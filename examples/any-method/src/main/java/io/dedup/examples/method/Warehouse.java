package io.dedup.examples.method;

import io.dedup.spring.boot.Deduplicated;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Reserves an order once, however often JMS delivers its message or the shop sends it. */
@Component
class Warehouse {
    private final JdbcTemplate database;
    private final ApplicationEventPublisher events;

    Warehouse(JdbcTemplate database, ApplicationEventPublisher events) {
        this.database = database;
        this.events = events;
    }

    @JmsListener(destination = "orders")
    @Transactional
    @Deduplicated(topic = "orders", consumer = "warehouse", id = "#orderId")
    public void reserve(String order, @Header("orderId") String orderId) {
        database.update("INSERT INTO reservation VALUES (?)", orderId);
        if (order.startsWith("fail") && FirstTimes.isFirst(order)) {
            throw new IllegalStateException("the first attempt of " + order + " fails");
        }
        events.publishEvent(new ShopApplication.OrderReserved(orderId));
    }
}
