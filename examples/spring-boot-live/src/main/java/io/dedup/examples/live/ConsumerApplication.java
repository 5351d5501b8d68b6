package io.dedup.examples.live;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Charges customers and sends mails. {@code consumer.yml} turns dedup on for two of the three listeners. Runs until its standard
 * input ends, so that it never outlives the shop that started it.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({OrderListener.class, PlainOrderListener.class, MailListener.class, OutcomePrinter.class, Commands.class})
final class ConsumerApplication {
    @Bean
    DefaultErrorHandler errorHandler(KafkaOperations<Object, Object> kafka) {
        return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(kafka), new FixedBackOff(1_000, 3));
    }

    public static void main(String[] args) {
        System.setProperty("spring.config.name", "consumer");
        SpringApplication.run(ConsumerApplication.class, args)
                .getBean(Commands.class)
                .run();
    }
}
