package io.dedup.examples.method;

import io.dedup.spring.boot.Deduplicated;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.stereotype.Component;

/** Mails once for each order, also when Spring Modulith publishes the event again because the process died before it was marked. */
@Component
class Mailing {
    private final JdbcTemplate database;

    Mailing(JdbcTemplate database) {
        this.database = database;
    }

    @ApplicationModuleListener
    @Deduplicated(topic = "order-reserved", consumer = "mailing", id = "#event.orderId()")
    public void mail(ShopApplication.OrderReserved event) {
        database.update("INSERT INTO mail VALUES (?)", event.orderId());
        if (event.orderId().startsWith("bounce") && FirstTimes.isFirst(event.orderId())) {
            throw new IllegalStateException("the first mail for " + event.orderId() + " fails");
        }
    }
}
