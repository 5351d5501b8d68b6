package io.dedup.http.internal;

import java.io.ByteArrayOutputStream;

/** A body up to a limit. What exceeds it makes all of it incomplete, and is dropped. Not thread-safe. */
public final class BodyCapture {
    private final int limit;
    private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean complete = true;

    public BodyCapture(int limit) {
        this.limit = limit;
    }

    /** Whether this many more bytes are within the limit. */
    public boolean fits(int length) {
        return complete && length <= limit - bytes.size();
    }

    public void append(byte[] from, int offset, int length) {
        if (fits(length)) {
            bytes.write(from, offset, length);
        } else {
            complete = false;
            bytes = new ByteArrayOutputStream();
        }
    }

    public void clear() {
        complete = true;
        bytes = new ByteArrayOutputStream();
    }

    public boolean isComplete() {
        return complete;
    }

    /** What was kept; empty if it is incomplete. */
    public byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
