package io.dedup.spring.boot.internal.actuator;

import io.dedup.report.DuplicationReport;
import io.dedup.text.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.boot.convert.DurationStyle;

/**
 * {@link DedupEndpoint} over HTTP, where an operator has to see that a request was wrong, and why: without this, Spring Boot
 * answers a command for an unknown scope with 204, and a wrong parameter with a 400 that has no message. Parameters are text
 * here, so that the error can quote them. Thread-safe.
 *
 * <p>What may be left out has Spring's annotation: Spring Boot 3.5 knows no other, and answers a request without it with 400.
 */
@EndpointWebExtension(endpoint = DedupEndpoint.class)
@SuppressWarnings("deprecation")
public final class DedupWebEndpoint {
    private static final String REPORT = "report";

    private final DedupEndpoint endpoint;

    public DedupWebEndpoint(DedupEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** The body of an answer that isn't the wanted one. */
    record Problem(int status, String message) {}

    /** See {@link DedupEndpoint#stuck}; {@code report} is no scope, but asks for {@link DedupEndpoint#report}. */
    @ReadOperation
    public WebEndpointResponse<Object> stuck(
            @Selector String scope,
            @org.springframework.lang.Nullable String olderThan,
            @org.springframework.lang.Nullable String limit,
            @org.springframework.lang.Nullable String hours) {
        return answer(() -> {
            if (scope.equals(REPORT)) {
                Integer last = number("hours", "a whole number from 1 to 24", hours);
                Integer copied = number("limit", "a whole number from 1 to " + DuplicationReport.ALL_COPIED, limit);
                return ok(endpoint.report(
                        last == null ? 1 : last, copied == null ? DuplicationReport.MAX_COPIED : copied));
            }
            Object found = endpoint.stuck(
                    scope, duration("olderThan", olderThan), number("limit", "a whole number from 1 to 1000", limit));
            return found == null ? unknownScope(scope) : ok(found);
        });
    }

    /** See {@link DedupEndpoint#record}. */
    @ReadOperation
    public WebEndpointResponse<Object> record(@Selector String scope, @Selector String id) {
        return answer(() -> {
            if (!endpoint.knows(scope)) {
                return unknownScope(scope);
            }
            Map<String, RecordView> found = endpoint.record(scope, id);
            return found == null
                    ? problem(
                            WebEndpointResponse.STATUS_NOT_FOUND,
                            "No store has a record of message ID " + Printable.of(id) + " in scope "
                                    + Printable.of(scope) + ".")
                    : ok(found);
        });
    }

    /** See {@link DedupEndpoint#forget}. */
    @DeleteOperation
    public WebEndpointResponse<Object> forget(
            @Selector String scope, @Selector String id, @org.springframework.lang.Nullable String evenIfLeaseLive) {
        return command(scope, () -> endpoint.forget(scope, id, flag("evenIfLeaseLive", evenIfLeaseLive)));
    }

    /** See {@link DedupEndpoint#forceDone}. */
    @WriteOperation
    public WebEndpointResponse<Object> forceDone(
            @Selector String scope, @Selector String id, @org.springframework.lang.Nullable String evenIfLeaseLive) {
        return command(scope, () -> endpoint.forceDone(scope, id, flag("evenIfLeaseLive", evenIfLeaseLive)));
    }

    /** The same without a body: a parameter that isn't in the path has Spring Boot insist on JSON, and answer 415 without. */
    @WriteOperation
    public WebEndpointResponse<Object> forceDone(@Selector String scope, @Selector String id) {
        return command(scope, () -> endpoint.forceDone(scope, id, null));
    }

    private static WebEndpointResponse<Object> command(
            String scope, Supplier<DedupEndpoint.@Nullable CommandView> command) {
        return answer(() -> {
            DedupEndpoint.CommandView result = command.get();
            return result == null ? unknownScope(scope) : ok(result);
        });
    }

    private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> request) {
        try {
            return request.get();
        } catch (InvalidEndpointRequestException e) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, sentence(String.valueOf(e.getMessage())));
        }
    }

    private static WebEndpointResponse<Object> unknownScope(String scope) {
        return problem(
                WebEndpointResponse.STATUS_NOT_FOUND,
                "There is no scope " + Printable.of(scope)
                        + ". A scope is written <consumer>:<topic>; GET /actuator/dedup lists the scopes of this"
                        + " application.");
    }

    private static WebEndpointResponse<Object> ok(Object body) {
        return new WebEndpointResponse<>(body, WebEndpointResponse.STATUS_OK);
    }

    private static WebEndpointResponse<Object> problem(int status, String message) {
        return new WebEndpointResponse<>(new Problem(status, message), status);
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private static @Nullable Duration duration(String name, @Nullable String text) {
        try {
            return text == null ? null : DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw wrong(name, "a duration such as 30s, 5m or 2h", text);
        }
    }

    private static @Nullable Integer number(String name, String wanted, @Nullable String text) {
        try {
            return text == null ? null : Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw wrong(name, wanted, text);
        }
    }

    private static @Nullable Boolean flag(String name, @Nullable String text) {
        if (text == null) {
            return null;
        }
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(name, "true or false", text);
        }
        return Boolean.valueOf(text);
    }

    private static InvalidEndpointRequestException wrong(String name, String wanted, @Nullable String text) {
        String reason = name + " must be " + wanted + ", but is " + Printable.of(text);
        return new InvalidEndpointRequestException(reason, reason);
    }
}
