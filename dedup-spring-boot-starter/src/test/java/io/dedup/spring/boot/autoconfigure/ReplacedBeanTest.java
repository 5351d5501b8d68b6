package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.convention.TestBean;

/** An application's test may replace a bean that has deduplicated methods. */
@SpringBootTest(properties = "dedup.store=memory", classes = ReplacedBeanTest.App.class)
class ReplacedBeanTest {
    static class Mailing {
        final List<String> mails = new ArrayList<>();

        @Deduplicated(topic = "mails", consumer = "mailing", id = "#id")
        public void mail(String id) {
            mails.add(id);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, DedupMethodAutoConfiguration.class})
    static class App {
        @Bean
        Mailing mailing() {
            return new Mailing();
        }
    }

    @TestBean
    private Mailing mailing;

    static Mailing mailing() {
        return new Mailing();
    }

    @Test
    @DisplayName("its methods are then called directly")
    void replaced(@Autowired Mailing injected) {
        assertThat(injected).isSameAs(mailing);
        injected.mail("a");
        injected.mail("a");
        assertThat(mailing.mails).containsExactly("a", "a");
    }
}
