package io.dedup.http.internal.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A request whose body was read, and is read again by its handler. */
final class RepeatableRequest extends HttpServletRequestWrapper {
    private final Body body;
    private @Nullable BufferedReader reader;

    RepeatableRequest(HttpServletRequest request, byte[] bytes) {
        super(request);
        this.body = new Body(bytes);
    }

    @Override
    public ServletInputStream getInputStream() {
        return body;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (reader == null) {
            String encoding = getCharacterEncoding();
            reader = new BufferedReader(
                    new InputStreamReader(body, encoding == null ? StandardCharsets.ISO_8859_1.name() : encoding));
        }
        return reader;
    }

    /** The bytes, all of which are there. */
    private static final class Body extends ServletInputStream {
        private final ByteArrayInputStream in;

        Body(byte[] bytes) {
            this.in = new ByteArrayInputStream(bytes);
        }

        @Override
        public int read() {
            return in.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return in.read(into, offset, length);
        }

        @Override
        public int available() {
            return in.available();
        }

        @Override
        public boolean isFinished() {
            return in.available() == 0;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            try {
                listener.onDataAvailable();
                if (isFinished()) {
                    listener.onAllDataRead();
                }
            } catch (IOException e) {
                listener.onError(e);
            }
        }
    }
}
