package io.dedup.spring.boot.internal.boot;

import io.dedup.step.StepCodec;
import org.springframework.beans.factory.ObjectProvider;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Results of steps as JSON, with the application's mapper. A field that the class doesn't have (any more) is an error: a result
 * that an older version has kept must not be read without it. Thread-safe.
 */
public final class JsonSteps implements StepCodec {
    private final ObjectProvider<JsonMapper> mapper;

    public JsonSteps(ObjectProvider<JsonMapper> mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] encode(Object result) {
        return mapper().writeValueAsBytes(result);
    }

    @Override
    public <T> T decode(byte[] bytes, Class<T> type) {
        return mapper().readerFor(type)
                .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .readValue(bytes);
    }

    private JsonMapper mapper() {
        return mapper.getIfAvailable(JsonMapper::new);
    }
}
