package io.dedup.spring.boot.internal.kafka.stream;

/** Takes containers when the binder has made and customized them, and before they have a message listener. */
interface ContainerSink {
    void created(StreamContainer container);
}
