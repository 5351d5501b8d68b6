package io.dedup.http.internal.servlet;

import io.dedup.http.internal.BodyCapture;
import io.dedup.http.internal.ResponseHeaders;
import io.dedup.http.internal.StoredResponse;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/**
 * Holds a response back until its request is recorded. What is larger than the limit, or is written while the request is asynchronous, as
 * streams and events are, goes to the client at once.
 *
 * <p>If the client of a held response goes away, the handler doesn't notice: its effect is recorded all the same. The handler of a stream
 * gets the exception, so that it stops.
 */
final class CapturingResponse extends HttpServletResponseWrapper {
    private final HttpServletRequest request;
    private final HttpServletResponse original;
    private final Set<String> headersBefore;
    private final BodyCapture body;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;
    private boolean streamUsed;
    private boolean passing;
    private boolean clientGone;
    /** Whether something was made of it since it was reset, which is done before an exception is answered. */
    private boolean made;

    private volatile boolean failedTooLate;
    private volatile boolean cutOff;
    private volatile boolean closed;
    /**
     * The handler's headers as they were before the first byte was sent. Servers add their own when they send it, such as the encoding of
     * what they compress, which the stored body hasn't.
     */
    private @Nullable Map<String, List<String>> headersSent;

    private int errorStatus;
    private @Nullable String errorMessage;

    CapturingResponse(HttpServletRequest request, HttpServletResponse original, int limit) {
        super(original);
        this.request = request;
        this.original = original;
        this.headersBefore = Set.copyOf(original.getHeaderNames());
        this.body = new BodyCapture(limit);
    }

    HttpServletResponse original() {
        return original;
    }

    /** Whether a part of it may have reached the client. */
    boolean isSent() {
        return passing || super.isCommitted();
    }

    /** Whether the client gets what the handler writes when it is written. */
    boolean isPassing() {
        return passing;
    }

    /** Whether nothing was made of it, neither a status nor a body, or nothing since it was reset for the answer to an exception. */
    boolean isUntouched() {
        return !made && errorStatus == 0;
    }

    /** Whether its status isn't what the handler wanted at last: a failure came when it was committed. */
    boolean isFailedTooLate() {
        return failedTooLate;
    }

    /** Whether a stream ended because its client went away. */
    boolean isCutOff() {
        return cutOff;
    }

    int status() {
        return errorStatus == 0 ? getStatus() : errorStatus;
    }

    /** Forgets what was held. */
    void discard() {
        body.clear();
        headersSent = null;
        errorStatus = 0;
        super.reset();
    }

    /** Takes over what the handler's writer has buffered. */
    void finish() {
        if (writer != null) {
            writer.flush();
        }
    }

    /** The request has ended: the container may use what is below for another one. */
    void close() {
        closed = true;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new AsyncRequestNotUsableException("the request has ended");
        }
    }

    /** What duplicates get. Call it after {@link #finish}. */
    StoredResponse stored(ResponseHeaders rules) {
        Map<String, List<String>> headers = new LinkedHashMap<>(headersSent == null ? headersNow() : headersSent);
        headers.keySet().removeIf(name -> !rules.isReplayed(name));
        boolean error = errorStatus != 0;
        return new StoredResponse(
                status(),
                error,
                !body.isComplete() && !error,
                errorMessage,
                error ? null : getContentType(),
                headers,
                error ? new byte[0] : body.toByteArray());
    }

    private Map<String, List<String>> headersNow() {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String name : getHeaderNames()) {
            if (!headersBefore.contains(name)) {
                headers.put(name, new ArrayList<>(getHeaders(name)));
            }
        }
        return headers;
    }

    private void keepHeaders() {
        if (headersSent == null) {
            headersSent = headersNow();
        }
    }

    /** Sends what was held. */
    void send() throws IOException {
        keepHeaders();
        if (errorStatus != 0) {
            error(original, errorStatus, errorMessage);
        } else if (!passing) {
            byte[] held = body.toByteArray();
            if (held.length > 0) {
                passing = true; // a handler may go on after it has ended its asynchronous work
                super.getOutputStream().write(held);
            }
        }
    }

    static void error(HttpServletResponse response, int status, @Nullable String message) throws IOException {
        if (message == null) {
            response.sendError(status);
        } else {
            response.sendError(status, message);
        }
    }

    private void write(byte[] bytes, int offset, int length) throws IOException {
        checkOpen();
        made = true;
        if (errorStatus != 0) {
            return; // as after any sendError
        }
        boolean streaming = request.isAsyncStarted();
        if (!passing && (streaming || !body.fits(length))) {
            pass();
        }
        body.append(bytes, offset, length);
        if (passing) {
            toClient(streaming, () -> super.getOutputStream().write(bytes, offset, length));
        }
    }

    /** From now on, the client gets what is written when it is written. */
    private void pass() throws IOException {
        passing = true;
        byte[] held = body.toByteArray();
        toClient(request.isAsyncStarted(), () -> super.getOutputStream().write(held));
    }

    /** Something that fails when the client has gone away. */
    private interface ToClient {
        void run() throws IOException;
    }

    private void toClient(boolean streaming, ToClient write) throws IOException {
        keepHeaders();
        if (clientGone) {
            return;
        }
        try {
            write.run();
        } catch (IOException e) {
            if (streaming) {
                cutOff = true;
                throw e;
            }
            clientGone = true; // the handler goes on to its end
        }
    }

    @Override
    public void flushBuffer() throws IOException {
        if (writer != null) {
            writer.flush();
        }
        flushToClient();
    }

    /** Frameworks flush every response; only for streams it has a meaning. */
    private void flushToClient() throws IOException {
        checkOpen();
        boolean streaming = request.isAsyncStarted();
        if (streaming && !passing && errorStatus == 0) {
            pass();
        }
        if (passing) {
            toClient(streaming, super::flushBuffer);
        }
    }

    @Override
    public ServletOutputStream getOutputStream() {
        if (writer != null) {
            throw new IllegalStateException("getWriter() was called for this response");
        }
        streamUsed = true;
        return stream();
    }

    private ServletOutputStream stream() {
        if (stream == null) {
            stream = new Stream();
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (streamUsed) {
            throw new IllegalStateException("getOutputStream() was called for this response");
        }
        if (writer == null) {
            setCharacterEncoding(getCharacterEncoding()); // as containers do, so that the content type names it
            writer = new PrintWriter(new Text(getCharacterEncoding()));
        }
        return writer;
    }

    @Override
    public void sendError(int status) {
        sendErrorLater(status, null);
    }

    @Override
    public void sendError(int status, String message) {
        sendErrorLater(status, message);
    }

    private void sendErrorLater(int status, @Nullable String message) {
        if (isCommitted()) {
            failedTooLate |= super.isCommitted();
            throw new IllegalStateException("the response is committed");
        }
        body.clear();
        errorStatus = status;
        errorMessage = message;
    }

    @Override
    public void setStatus(int status) {
        made = true;
        failedTooLate |= status >= SC_BAD_REQUEST && super.isCommitted();
        super.setStatus(status);
    }

    @Override
    public void sendRedirect(String location) {
        redirect(location, SC_FOUND, true);
    }

    /** Of Servlet 6.1. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status) {
        redirect(location, status, true);
    }

    /** Of Servlet 6.1. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, boolean clearBuffer) {
        redirect(location, SC_FOUND, clearBuffer);
    }

    /** Of Servlet 6.1. */
    @SuppressWarnings("MissingOverride")
    public void sendRedirect(String location, int status, boolean clearBuffer) {
        redirect(location, status, clearBuffer);
    }

    private void redirect(String location, int status, boolean clearBuffer) {
        if (isCommitted()) {
            throw new IllegalStateException("the response is committed");
        }
        if (clearBuffer) {
            body.clear();
        }
        setStatus(status);
        setHeader("Location", location);
    }

    @Override
    public boolean isCommitted() {
        return errorStatus != 0 || super.isCommitted();
    }

    /** Spring does it before it answers an exception. */
    @Override
    public void resetBuffer() {
        failedTooLate |= super.isCommitted();
        super.resetBuffer(); // throws if it is committed
        body.clear();
        headersSent = null;
        made = false;
    }

    @Override
    public void reset() {
        failedTooLate |= super.isCommitted();
        super.reset();
        made = false;
        body.clear();
        headersSent = null;
        errorStatus = 0;
        errorMessage = null;
        writer = null;
        streamUsed = false;
    }

    /** Text for the same stream. It keeps nothing back: nobody may be there to flush it when asynchronous work ends. */
    private final class Text extends Writer {
        private final OutputStreamWriter encoder;

        Text(String encoding) throws IOException {
            encoder = new OutputStreamWriter(
                    new OutputStream() {
                        @Override
                        public void write(int b) throws IOException {
                            stream().write(b);
                        }

                        @Override
                        public void write(byte[] bytes, int offset, int length) throws IOException {
                            stream().write(bytes, offset, length);
                        }
                    },
                    encoding);
        }

        @Override
        public void write(char[] text, int offset, int length) throws IOException {
            encoder.write(text, offset, length);
            encoder.flush();
        }

        @Override
        public void flush() throws IOException {
            encoder.flush();
            flushToClient();
        }

        @Override
        public void close() throws IOException {
            encoder.close();
        }
    }

    /** What the handler writes to. */
    private final class Stream extends ServletOutputStream {
        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            CapturingResponse.this.write(bytes, offset, length);
        }

        @Override
        public void flush() throws IOException {
            flushToClient();
        }

        @Override
        public boolean isReady() {
            return true;
        }

        /** Writes are buffered or block, so that it is always possible. */
        @Override
        public void setWriteListener(WriteListener listener) {
            try {
                listener.onWritePossible();
            } catch (IOException e) {
                listener.onError(e);
            }
        }
    }
}
