/** Fault plans on listeners without Spring Boot: in processes of their own, and in the test's. */
@NullMarked
package io.dedup.kafka.plan;

import org.jspecify.annotations.NullMarked;
