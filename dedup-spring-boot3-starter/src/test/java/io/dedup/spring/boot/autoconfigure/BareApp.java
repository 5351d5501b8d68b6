package io.dedup.spring.boot.autoconfigure;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;

/** An application without any listener. */
@Configuration(proxyBeanMethods = false)
public class BareApp {
    static final String STARTED = "the application has started";

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(BareApp.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.run(arguments).close();
        System.out.println(STARTED);
    }
}
