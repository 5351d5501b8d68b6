package io.dedup.http.internal.servlet;

import io.dedup.http.internal.RequestDigest;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a request contains, for its fingerprint, so that its handler can read it again.
 *
 * <ul>
 *   <li>A form: its parameters. Security filters may have read the body before.
 *   <li>Multipart: its parts, because clients make a new boundary for each attempt.
 *   <li>Else the bytes of the body, which are kept for the handler.
 * </ul>
 */
final class RequestContent {
    private static final int BUFFER = 8192;

    private RequestContent() {}

    /**
     * Reads it into the digest.
     *
     * @return the request with a body that can be read again; null if it is larger than the limit
     */
    static @Nullable HttpServletRequest read(HttpServletRequest request, int limit, RequestDigest digest)
            throws IOException, ServletException {
        if (request.getContentLengthLong() > limit) {
            return null;
        }
        String type =
                request.getContentType() == null ? "" : request.getContentType().toLowerCase(Locale.ROOT);
        if (type.startsWith("multipart/form-data")) {
            return addParts(request, limit, digest) ? request : null;
        }
        if (type.startsWith("application/x-www-form-urlencoded") && !addForm(request, limit, digest)) {
            return null;
        }
        byte[] body = request.getInputStream().readNBytes(limit + 1);
        if (body.length > limit) {
            return null;
        }
        digest.add(body);
        return body.length == 0 ? request : new RepeatableRequest(request, body);
    }

    private static boolean addForm(HttpServletRequest request, int limit, RequestDigest digest) {
        Map<String, List<String>> form = new LinkedHashMap<>();
        long size = 0;
        for (Map.Entry<String, String[]> parameter : request.getParameterMap().entrySet()) {
            form.put(parameter.getKey(), List.of(parameter.getValue()));
            for (String value : parameter.getValue()) {
                size += (long) parameter.getKey().length() + value.length();
            }
        }
        digest.add(form);
        return size <= limit;
    }

    private static boolean addParts(HttpServletRequest request, int limit, RequestDigest digest)
            throws IOException, ServletException {
        Collection<Part> parts;
        try {
            parts = request.getParts();
        } catch (IllegalStateException e) { // larger than the servlet's own limits
            return false;
        }
        long size = 0;
        for (Part part : parts) {
            size += part.getSize();
            digest.add(part.getName());
            digest.add(part.getSubmittedFileName());
            digest.add(part.getContentType());
            add(part, digest);
        }
        return size <= limit;
    }

    /** In pieces, because a part may be in a large file. */
    private static void add(Part part, RequestDigest digest) throws IOException {
        digest.add(Long.toString(part.getSize()));
        try (InputStream in = part.getInputStream()) {
            byte[] piece = in.readNBytes(BUFFER);
            while (piece.length > 0) {
                digest.add(piece);
                piece = in.readNBytes(BUFFER);
            }
        }
    }
}
