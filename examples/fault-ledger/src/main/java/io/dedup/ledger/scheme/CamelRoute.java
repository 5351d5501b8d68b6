package io.dedup.ledger.scheme;

import java.time.Duration;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.redis.processor.idempotent.SpringRedisStringIdempotentRepository;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.apache.camel.spi.IdempotentRepository;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Apache Camel's idempotent consumer with the defaults: it adds the ID first, and removes it when the route fails. */
public final class CamelRoute implements Scheme {
    /** Of its table, named {@link Stores#table} of "camel"; with a primary key, which Camel's own doesn't have. */
    public static final String COLUMNS = " (processorName varchar(255), messageId varchar(100), createdAt timestamp,"
            + " PRIMARY KEY (processorName, messageId))";

    private static final String ROUTE = "direct:message";
    private static final String ID = "id";

    private final CamelContext camel;
    private final ProducerTemplate producer;
    private final Runnable disconnect;

    private CamelRoute(IdempotentRepository repository, Runnable disconnect) throws Exception {
        this.disconnect = disconnect;
        camel = new DefaultCamelContext(false);
        camel.addRoutes(new RouteBuilder() {
            @Override
            public void configure() {
                errorHandler(noErrorHandler()); // Kafka delivers again
                from(ROUTE)
                        .idempotentConsumer(header(ID), repository)
                        .process(exchange ->
                                exchange.getIn().getBody(Runnable.class).run());
            }
        });
        camel.start();
        producer = camel.createProducerTemplate();
    }

    /** With its JDBC repository, each of whose statements is a transaction of its own unless there is one. */
    public static CamelRoute jdbc(Stores stores, JdbcTemplate jdbc) throws Exception {
        TransactionTemplate transactions = Stores.transactions(jdbc);
        JdbcMessageIdRepository repository = new JdbcMessageIdRepository(jdbc, transactions);
        repository.setProcessorName(stores.row());
        repository.setTableName(stores.table("camel"));
        repository.setCreateTableIfNotExists(false); // it is there
        return new CamelRoute(repository, () -> {});
    }

    /** With its Redis repository for strings. */
    public static CamelRoute redis(Stores stores) throws Exception {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(
                        "127.0.0.1", stores.redisPorts().get(0)),
                LettuceClientConfiguration.builder()
                        .commandTimeout(Stores.REDIS_TIMEOUT)
                        .shutdownTimeout(Duration.ZERO)
                        .build());
        connections.start();
        StringRedisTemplate template = new StringRedisTemplate(connections);
        return new CamelRoute(new SpringRedisStringIdempotentRepository(template, stores.row()), connections::destroy);
    }

    @Override
    public void handle(String id, Runnable effect) throws Exception {
        Exchange exchange = producer.request(ROUTE, message -> {
            message.getIn().setHeader(ID, id);
            message.getIn().setBody(effect);
        });
        if (exchange.getException() != null) {
            throw exchange.getException();
        }
    }

    @Override
    public void close() {
        camel.stop();
        disconnect.run();
    }
}
