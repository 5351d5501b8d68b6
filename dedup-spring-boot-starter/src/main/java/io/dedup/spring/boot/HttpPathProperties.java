package io.dedup.spring.boot;

import org.jspecify.annotations.Nullable;

/** An entry of {@code dedup.http.paths}. Not thread-safe. */
public class HttpPathProperties extends HttpPolicyProperties {
    /** The path pattern, if the entry has another name, such as /payments or /accounts/{id}/transfers. */
    private @Nullable String path;

    /** The topic name within which keys are unique; the path pattern by default. Changing it forgets windows. */
    private @Nullable String topic;

    /** Whether the request handler itself does what the listeners of this consumer and topic do, so that whichever comes first does it. Never set it if the handler publishes a message for them: they would skip it. */
    private @Nullable Boolean sameEffectAsListeners;

    public @Nullable String getPath() {
        return path;
    }

    public void setPath(@Nullable String path) {
        this.path = path;
    }

    public @Nullable String getTopic() {
        return topic;
    }

    public void setTopic(@Nullable String topic) {
        this.topic = topic;
    }

    public @Nullable Boolean getSameEffectAsListeners() {
        return sameEffectAsListeners;
    }

    public void setSameEffectAsListeners(@Nullable Boolean sameEffectAsListeners) {
        this.sameEffectAsListeners = sameEffectAsListeners;
    }
}
