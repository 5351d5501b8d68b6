package io.dedup.spring.boot.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.internal.call.DeduplicatedCalls.Patience;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

class CallerTest {
    @Test
    @DisplayName("a request waits shortly, whatever it calls, unless the effect would never happen: its client repeats")
    void patience() {
        assertThat(Caller.BROKER.patience(false)).isEqualTo(Patience.UNTIL_DECIDED);
        assertThat(Caller.BROKER.patience(true)).isEqualTo(Patience.LONG);
        assertThat(Caller.OTHER.patience(false)).isEqualTo(Patience.LONG);
        assertThat(Caller.GIVES_UP.patience(false)).isEqualTo(Patience.LONG);
        RequestContextHolder.setRequestAttributes((RequestAttributes) Proxy.newProxyInstance(
                CallerTest.class.getClassLoader(),
                new Class<?>[] {RequestAttributes.class},
                (proxy, method, arguments) -> null));
        try {
            assertThat(Caller.BROKER.patience(false))
                    .isEqualTo(Patience.SHORT); // a listener's method, to repeat a message
            assertThat(Caller.BROKER.patience(true)).isEqualTo(Patience.SHORT);
            assertThat(Caller.OTHER.patience(false)).isEqualTo(Patience.SHORT);
            assertThat(Caller.GIVES_UP.patience(false)).isEqualTo(Patience.LONG);
        } finally {
            RequestContextHolder.resetRequestAttributes();
        }
    }
}
