package io.dedup.spring.boot.internal.boot;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dedup.step.StepCodec;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Results of steps as JSON, with the application's mapper. A field that the class doesn't have (any more) is an error: a result
 * that an older version has kept must not be read without it. Thread-safe.
 */
public final class JsonSteps implements StepCodec {
    private final ObjectProvider<ObjectMapper> mapper;

    public JsonSteps(ObjectProvider<ObjectMapper> mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] encode(Object result) {
        try {
            return mapper().writeValueAsBytes(result);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public <T> T decode(byte[] bytes, Class<T> type) {
        try {
            return mapper().readerFor(type)
                    .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .readValue(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ObjectMapper mapper() {
        return mapper.getIfAvailable(ObjectMapper::new);
    }
}
