package io.dedup.spring.boot.docs;

// docs:begin
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class RocketMqBilling {
    @Bean
    MessageListener billing(Invoices invoices) { // injected as MessageListener, not as a class of its own
        return message -> {
            String order = StandardCharsets.UTF_8.decode(message.getBody()).toString();
            return invoices.create(order) ? ConsumeResult.SUCCESS : ConsumeResult.FAILURE;
        };
    }

    @Bean
    PushConsumer consumer(MessageListener billing) throws ClientException {
        return ClientServiceProvider.loadService()
                .newPushConsumerBuilder()
                .setClientConfiguration(ClientConfiguration.newBuilder()
                        .setEndpoints("proxy:8081")
                        .build())
                .setConsumerGroup("billing-group")
                .setSubscriptionExpressions(Map.of("orders", FilterExpression.SUB_ALL))
                .setMessageListener(billing)
                .build();
    }
}
// docs:end
