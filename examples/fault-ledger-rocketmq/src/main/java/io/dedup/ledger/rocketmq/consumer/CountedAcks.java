package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.consumer.CountingClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;

/** A simple consumer whose acknowledgments are counted before they are sent. */
final class CountedAcks {
    private CountedAcks() {}

    static SimpleConsumer of(SimpleConsumer consumer, CountingClient acknowledgments) {
        return (SimpleConsumer) Proxy.newProxyInstance(
                CountedAcks.class.getClassLoader(),
                new Class<?>[] {SimpleConsumer.class},
                (proxy, method, arguments) -> {
                    if (method.getName().startsWith("ack")) {
                        acknowledgments.count(
                                ((MessageView) arguments[0]).getMessageId().toString(), 0);
                    }
                    try {
                        return method.invoke(consumer, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
