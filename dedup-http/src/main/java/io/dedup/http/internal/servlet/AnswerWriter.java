package io.dedup.http.internal.servlet;

import io.dedup.http.internal.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Writes the answers of a filter. The handlers of their requests aren't called, but a page of another origin may read them all the same. */
final class AnswerWriter {
    private final Supplier<FrontServlet> servlet;

    AnswerWriter(Supplier<FrontServlet> servlet) {
        this.servlet = servlet;
    }

    void write(Answer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!servlet.get().permitsOrigin(request, response)) {
            return;
        }
        for (Map.Entry<String, List<String>> header : answer.headers().entrySet()) {
            boolean first = true;
            for (String value : header.getValue()) {
                if (first) {
                    response.setHeader(header.getKey(), value);
                } else {
                    response.addHeader(header.getKey(), value);
                }
                first = false;
            }
        }
        if (answer.error()) {
            CapturingResponse.error(response, answer.status(), answer.message());
            return;
        }
        response.setStatus(answer.status());
        if (answer.contentType() != null) {
            response.setContentType(answer.contentType());
        }
        if (answer.body().length > 0) {
            response.setContentLength(answer.body().length);
            response.getOutputStream().write(answer.body());
        }
    }
}
