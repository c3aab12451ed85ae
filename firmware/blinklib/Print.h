// Arduino's Print: numbers and text, written byte by byte by a derived class.

#ifndef PRINT_H
#define PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2

class __FlashStringHelper;

class Print {
public:
    virtual size_t write(uint8_t value) = 0;
    virtual size_t write(const uint8_t *data, size_t length);
    virtual int availableForWrite() { return 0; }
    virtual void flush() {}

    size_t write(const char *text) { return text ? write((const uint8_t *)text, strlen(text)) : 0; }
    size_t write(const char *text, size_t length) { return write((const uint8_t *)text, length); }
    int getWriteError() { return write_error; }
    void clearWriteError() { write_error = 0; }

    size_t print(const __FlashStringHelper *text);
    size_t print(const char text[]) { return write(text); }
    size_t print(char character) { return write((uint8_t)character); }
    size_t print(unsigned char number, int base = DEC) { return print((unsigned long)number, base); }
    size_t print(int number, int base = DEC) { return print((long)number, base); }
    size_t print(unsigned int number, int base = DEC) { return print((unsigned long)number, base); }
    size_t print(long number, int base = DEC);
    size_t print(unsigned long number, int base = DEC);
    size_t print(double number, int digits = 2);

    size_t println();
    template <typename T> size_t println(T value) {
        size_t written = print(value);
        return written + println();
    }
    template <typename T> size_t println(T value, int format) {
        size_t written = print(value, format);
        return written + println();
    }

protected:
    void setWriteError(int error = 1) { write_error = error; }

private:
    size_t digits(unsigned long number, uint8_t base);
    int write_error = 0;
};

#endif
