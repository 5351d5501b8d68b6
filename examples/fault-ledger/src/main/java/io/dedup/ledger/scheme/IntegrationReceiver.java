package io.dedup.ledger.scheme;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.integration.handler.advice.IdempotentReceiverInterceptor;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Spring Integration's idempotent receiver with its JDBC metadata store; it throws away messages that it considers
 * duplicates.
 */
public final class IntegrationReceiver implements Scheme {
    /** Of its table, named {@link Stores#table} of "int" with {@link #TABLE} behind it. */
    public static final String COLUMNS =
            " (metadata_key varchar(255) NOT NULL, metadata_value varchar(4000), region varchar(100) NOT NULL,"
                    + " PRIMARY KEY (metadata_key, region))";

    public static final String TABLE = "_metadata_store";
    private static final String ID = "business-id";

    private final MessageHandler receiver;

    public IntegrationReceiver(Stores stores, JdbcTemplate jdbc) {
        JdbcMetadataStore store = new JdbcMetadataStore(jdbc);
        store.setTablePrefix(stores.table("int") + "_");
        store.setRegion(stores.row());
        store.afterPropertiesSet();
        store.start();
        IdempotentReceiverInterceptor interceptor = new IdempotentReceiverInterceptor(new MetadataStoreSelector(
                message -> String.valueOf(message.getHeaders().get(ID)), store));
        interceptor.setDiscardChannel((message, timeout) -> true);
        ProxyFactory proxy = new ProxyFactory(MessageHandler.class, interceptor);
        proxy.setTarget((MessageHandler) IntegrationReceiver::run);
        this.receiver = (MessageHandler) proxy.getProxy();
    }

    private static void run(Message<?> message) {
        ((Runnable) message.getPayload()).run();
    }

    @Override
    public void handle(String id, Runnable effect) {
        receiver.handleMessage(
                MessageBuilder.withPayload(effect).setHeader(ID, id).build());
    }
}
