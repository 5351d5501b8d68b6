package io.dedup.http.internal;

import io.dedup.ResultCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a response as bytes: a mark, flags, status, texts and headers with their lengths, then the body. Results of listeners that share
 * the record don't have the mark, and are refused; so is everything else that doesn't fit its own lengths.
 */
final class StoredResponseCodec implements ResultCodec<StoredResponse> {
    private static final int MARK = 0x64485231; // dHR1
    private static final int ERROR = 1;
    private static final int BODY_OMITTED = 2;
    private static final int MIN_STATUS = 200;
    private static final int MAX_STATUS = 599;

    @Override
    public byte[] encode(StoredResponse response) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(MARK);
            out.writeByte((response.error() ? ERROR : 0) | (response.bodyOmitted() ? BODY_OMITTED : 0));
            out.writeShort(response.status());
            write(out, response.message());
            write(out, response.contentType());
            out.writeShort(response.headers().size());
            for (Map.Entry<String, List<String>> header : response.headers().entrySet()) {
                write(out, header.getKey());
                out.writeShort(header.getValue().size());
                for (String value : header.getValue()) {
                    write(out, value);
                }
            }
            out.write(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public StoredResponse decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readInt() != MARK) {
                throw new IllegalArgumentException("it isn't a response");
            }
            int flags = in.readUnsignedByte();
            int status = in.readUnsignedShort();
            if (status < MIN_STATUS || status > MAX_STATUS) {
                throw new IllegalArgumentException("its status is " + status);
            }
            String message = read(in);
            String contentType = read(in);
            Map<String, List<String>> headers = new LinkedHashMap<>();
            for (int i = in.readUnsignedShort(); i > 0; i--) {
                String name = text(in);
                List<String> values = new ArrayList<>();
                for (int j = in.readUnsignedShort(); j > 0; j--) {
                    values.add(text(in));
                }
                headers.put(name, values);
            }
            return new StoredResponse(
                    status,
                    (flags & ERROR) != 0,
                    (flags & BODY_OMITTED) != 0,
                    message,
                    contentType,
                    headers,
                    in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(DataOutputStream out, @Nullable String text) throws IOException {
        if (text == null) {
            out.writeInt(-1);
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static @Nullable String read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length == -1) {
            return null;
        }
        if (length < 0 || length > in.available()) {
            throw new IllegalArgumentException("a text of it has length " + length);
        }
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    private static String text(DataInputStream in) throws IOException {
        String text = read(in);
        if (text == null) {
            throw new IllegalArgumentException("a header of it is missing");
        }
        return text;
    }
}
