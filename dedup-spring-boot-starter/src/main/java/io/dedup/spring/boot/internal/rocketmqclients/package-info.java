/** What the listeners of RocketMQ's older and newer client have in common. Knows neither client. */
@NullMarked
package io.dedup.spring.boot.internal.rocketmqclients;

import org.jspecify.annotations.NullMarked;
