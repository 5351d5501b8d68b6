package io.dedup.spring.boot.internal.tracing;

import io.micrometer.tracing.TraceContext;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A span as the header {@code traceparent} of W3C Trace Context names it.
 *
 * @param traceId 32 digits
 * @param spanId 16 digits
 */
record TraceParent(String traceId, String spanId) {
    private static final Pattern FORM = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-01");
    private static final Pattern ID = Pattern.compile("[0-9a-f]+");
    private static final int TRACE_DIGITS = 32;
    private static final int SPAN_DIGITS = 16;

    /** Null where there is nothing to link to: no span, or a span that isn't sampled. */
    static @Nullable TraceParent of(TraceContext context) {
        if (Boolean.FALSE.equals(context.sampled())
                || !ID.matcher(context.traceId()).matches()
                || !ID.matcher(context.spanId()).matches()) {
            return null;
        }
        return checked(padded(context.traceId(), TRACE_DIGITS), padded(context.spanId(), SPAN_DIGITS));
    }

    /** Null where it isn't one; text from a store may be anything. */
    static @Nullable TraceParent parse(String text) {
        Matcher matcher = FORM.matcher(text);
        return matcher.matches() ? checked(matcher.group(1), matcher.group(2)) : null;
    }

    private static @Nullable TraceParent checked(String traceId, String spanId) {
        boolean valid = traceId.length() == TRACE_DIGITS
                && spanId.length() == SPAN_DIGITS
                && !isZero(traceId)
                && !isZero(spanId);
        return valid ? new TraceParent(traceId, spanId) : null;
    }

    private static boolean isZero(String id) {
        return id.chars().allMatch(c -> c == '0');
    }

    /** Brave's trace IDs may have half as many digits. */
    private static String padded(String id, int digits) {
        return id.length() < digits ? "0".repeat(digits - id.length()) + id : id;
    }

    /** The header's text. */
    String text() {
        return "00-" + traceId + "-" + spanId + "-01";
    }
}
