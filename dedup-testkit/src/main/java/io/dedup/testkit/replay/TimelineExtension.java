package io.dedup.testkit.replay;

import java.util.Objects;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit Jupiter extension that passes a {@link Timeline} to each test, as a parameter of its test method and of
 * {@code @BeforeEach} and {@code @AfterEach} methods. All methods of one test get the same timeline.
 */
public final class TimelineExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace HERE = ExtensionContext.Namespace.create(TimelineExtension.class);

    /** Called by JUnit. */
    public TimelineExtension() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Timeline.class
                && context.getTestMethod().isPresent();
    }

    @Override
    @SuppressWarnings("deprecation") // JUnit 5, which Spring Boot 3.5 manages, lacks what replaces it
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Objects.requireNonNull(
                context.getStore(HERE).getOrComputeIfAbsent(Timeline.class, any -> new Timeline(), Timeline.class));
    }
}
