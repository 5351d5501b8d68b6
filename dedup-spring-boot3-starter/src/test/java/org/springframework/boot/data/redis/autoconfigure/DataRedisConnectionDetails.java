package org.springframework.boot.data.redis.autoconfigure;

import org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails;

/** For tests that are compiled for Spring Boot 4 as well: its name for these details. */
public interface DataRedisConnectionDetails extends RedisConnectionDetails {}
