package io.dedup.spring.boot.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.TraceContext;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static TraceContext context(String traceId, String spanId, @Nullable Boolean sampled) {
        return new TraceContext() {
            @Override
            public String traceId() {
                return traceId;
            }

            @Override
            public @Nullable String parentId() {
                return null;
            }

            @Override
            public String spanId() {
                return spanId;
            }

            @Override
            public @Nullable Boolean sampled() {
                return sampled;
            }
        };
    }

    @Test
    @DisplayName("what isn't sampled isn't kept; half a trace ID is filled up")
    void whatIsKept() {
        String trace = "0af7651916cd43dd8448eb211c80319c";
        String span = "b7ad6b7169203331";
        assertThat(TraceParent.of(context(trace, span, true)).text()).isEqualTo("00-" + trace + "-" + span + "-01");
        assertThat(TraceParent.of(context(span, span, null)).text())
                .isEqualTo("00-0000000000000000" + span + "-" + span + "-01");
        assertThat(Stream.of(
                        context(trace, span, false),
                        context("", "", null),
                        context("0".repeat(32), span, true),
                        context(trace, "0".repeat(16), true),
                        context(trace, span + "0", true),
                        context("größe", span, true)))
                .allMatch(context -> TraceParent.of(context) == null);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "order 17",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\n"
            })
    @DisplayName("a store's text that is no traceparent is no link, and no error")
    void hostileText(String text) {
        assertThat(TraceParent.parse(text)).isNull();
    }
}
