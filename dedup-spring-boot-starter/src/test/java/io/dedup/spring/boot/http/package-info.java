@org.jspecify.annotations.NullMarked
package io.dedup.spring.boot.http;
