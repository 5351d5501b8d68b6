package io.dedup.examples.live;

import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The shop and its page, without any listener. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
@Import({Tally.class, Feed.class, Shop.class, ConsumerProcess.class, ShopController.class, ShopApplication.Watch.class})
final class ShopApplication {
    /** The consumer's table of records, for lookups. */
    @Bean
    JdbcDedupStore records(DataSource dataSource) {
        return JdbcDedupStore.builder(dataSource)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(null)
                .build();
    }

    /**
     * The numbers of the page.
     *
     * @param placed how many orders the shop took
     * @param orders the last ones
     */
    record State(
            ConsumerProcess.View consumer,
            List<Tally.ListenerView> listeners,
            long placed,
            List<Tally.OrderView> orders) {}

    /** Keeps the pages up to date. */
    static final class Watch {
        private final ConsumerProcess consumer;
        private final Tally tally;
        private final Feed feed;

        Watch(ConsumerProcess consumer, Tally tally, Feed feed) {
            this.consumer = consumer;
            this.tally = tally;
            this.feed = feed;
        }

        @Scheduled(fixedDelay = 250)
        void look() {
            feed.state(new State(consumer.view(), tally.listeners(), tally.orders(), tally.lastOrders()));
        }

        @EventListener(ContextClosedEvent.class)
        void close() {
            feed.close();
        }
    }
}
