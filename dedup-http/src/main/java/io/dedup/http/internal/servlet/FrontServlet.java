package io.dedup.http.internal.servlet;

import io.dedup.http.internal.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;

/** What is behind the filter. */
public interface FrontServlet {
    /** Any servlets: patterns are matched by the rules of Spring, without the application's own settings. */
    FrontServlet UNKNOWN = new FrontServlet() {
        @Override
        public RequestedPath path(HttpServletRequest request) {
            PathContainer path = pathOf(request);
            return pattern -> pattern.matches(path);
        }

        @Override
        public boolean permitsOrigin(HttpServletRequest request, HttpServletResponse response) {
            return true;
        }

        @Override
        public @Nullable String problem(PathPattern pattern) {
            return null;
        }
    };

    /** The path of a request, as the servlet's handlers are found by it. */
    RequestedPath path(HttpServletRequest request);

    /**
     * Gives a response the CORS headers that the handler of its request would have given it.
     *
     * @return false if the origin is refused, which has been answered
     */
    boolean permitsOrigin(HttpServletRequest request, HttpServletResponse response) throws IOException;

    /** Why a pattern cannot be matched; null if it can. */
    @Nullable
    String problem(PathPattern pattern);

    /** Within the application. */
    static PathContainer pathOf(HttpServletRequest request) {
        boolean known = ServletRequestPathUtils.hasParsedRequestPath(request);
        Object before = request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
        RequestPath parsed =
                ServletRequestPathUtils.parseAndCache(request); // another one than before, if it was wrapped
        if (known) {
            request.setAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE, before);
        } else {
            ServletRequestPathUtils.clearParsedRequestPath(request);
        }
        return parsed.pathWithinApplication();
    }
}
