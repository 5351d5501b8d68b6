package io.dedup.kafka.internal.container;

import org.springframework.kafka.listener.MessageListenerContainer;

/** A container that decorates its listener itself when it starts. Share groups have one, which older versions of spring-kafka cannot load. */
public interface SelfDecorating extends MessageListenerContainer {}
