package io.dedup.http.internal.servlet;

import io.dedup.http.internal.HandlerPaths;
import io.dedup.http.internal.RequestedPath;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.server.PathContainer;
import org.springframework.util.PathMatcher;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.handler.AbstractHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.UrlPathHelper;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** The handler mappings of Spring MVC. Loaded only where it is. Thread-safe. */
public final class SpringMvc implements FrontServlet {
    private final List<HandlerMapping> mappings;
    private final HandlerPaths parsed;
    private final Set<TextMatching> texts = new LinkedHashSet<>();

    /** Of a handler mapping that matches paths as text. */
    private record TextMatching(PathMatcher matcher, UrlPathHelper paths) {}

    public SpringMvc(ApplicationContext context) {
        mappings = new ArrayList<>(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
                        .values());
        AnnotationAwareOrderComparator.sort(mappings);
        Set<PathPatternParser> parsers = new LinkedHashSet<>();
        for (HandlerMapping mapping : mappings) {
            if (mapping instanceof AbstractHandlerMapping each) {
                PathPatternParser parser = each.getPatternParser();
                if (parser == null) {
                    texts.add(textMatching(each));
                } else {
                    parsers.add(parser);
                }
            }
        }
        parsed = new HandlerPaths(parsers);
    }

    @SuppressWarnings({"deprecation", "removal"}) // for applications that still match paths as text
    private static TextMatching textMatching(AbstractHandlerMapping mapping) {
        return new TextMatching(mapping.getPathMatcher(), mapping.getUrlPathHelper());
    }

    /** By a handler mapping that matches paths as text. */
    @Override
    public @Nullable String problem(PathPattern pattern) {
        return !texts.isEmpty() && pattern.getPatternString().contains("{*")
                ? "Spring MVC matches paths with a PathMatcher here, which doesn't know {*…}."
                : null;
    }

    @Override
    public RequestedPath path(HttpServletRequest request) {
        PathContainer path = FrontServlet.pathOf(request);
        return pattern -> parsed.matches(pattern, path) || matchesAsText(pattern, request);
    }

    @SuppressWarnings({"deprecation", "removal"})
    private boolean matchesAsText(PathPattern pattern, HttpServletRequest request) {
        for (TextMatching each : texts) {
            if (each.matcher().match(pattern.getPatternString(), each.paths().getLookupPathForRequest(request))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean permitsOrigin(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!CorsUtils.isCorsRequest(request)) {
            return true;
        }
        if (!ServletRequestPathUtils.hasParsedRequestPath(request)) {
            ServletRequestPathUtils.parseAndCache(request);
        }
        for (HandlerMapping mapping : mappings) {
            HandlerExecutionChain handler = handler(mapping, request);
            if (handler != null) {
                CorsConfiguration cors = cors(handler, request);
                return cors == null
                        || (mapping instanceof AbstractHandlerMapping each
                                        ? each.getCorsProcessor()
                                        : new DefaultCorsProcessor())
                                .processRequest(cors, request, response);
            }
        }
        return true;
    }

    private static @Nullable HandlerExecutionChain handler(HandlerMapping mapping, HttpServletRequest request) {
        try {
            return mapping.getHandler(request);
        } catch (Exception e) { // no handler takes such a request, and the answer doesn't depend on one
            return null;
        }
    }

    private static @Nullable CorsConfiguration cors(HandlerExecutionChain handler, HttpServletRequest request) {
        for (HandlerInterceptor interceptor : handler.getInterceptorList()) {
            if (interceptor instanceof CorsConfigurationSource source) {
                return source.getCorsConfiguration(request);
            }
        }
        return handler.getHandler() instanceof CorsConfigurationSource source
                ? source.getCorsConfiguration(request)
                : null;
    }
}
