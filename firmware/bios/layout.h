// Addresses and numbers that the assembly shares with the C++ side (checked against bios_abi.h in checks.cpp).

#ifndef BIOS_LAYOUT_H
#define BIOS_LAYOUT_H

#define PIXELS 0x0100
#define PIXEL_BLANKING 12
#define PIXEL_RAW 13
#define PIXEL_CURRENT 37
#define PIXEL_PHASE 38
#define PIXEL_ENTROPY 39

#define TIME 0x0131
#define TIME_STEP 4
#define TIME_SLEEP 5

#define BUTTON 0x013E
#define BUTTON_DOWN 0
#define BUTTON_EVENTS 1
#define BUTTON_COUNT 2
#define BUTTON_DEBOUNCE 4
#define BUTTON_WINDOW 5
#define BUTTON_CLICKS 7
#define BUTTON_LONG 8
#define BUTTON_HOLD 9

#define INFRARED 0x014D
#define FACE_STRIDE 50
#define FACE_READY 0
#define FACE_SENDING 1
#define FACE_LENGTH 2
#define FACE_PACKET 3
#define FACE_IDLE 44
#define FACE_INCOMING 45
#define DOWNLOADING (INFRARED + 300)

#define SHARED_BYTES (0x027E - PIXELS)

// The transmitter keeps its state in the spare bytes of the pixel block: the sketch owns everything from 0x027E on.
#define TX 0x0129
#define TX_PHASE 0
#define TX_SHIFT 1    // bits to send, with a 1 above the last one
#define TX_LEFT 2     // bytes of data to go
#define TX_DATA 3     // address of the next one
#define TX_HEADER 5

// What TX_SHIFT running empty means in each phase. From TX_TAIL on the data is no longer needed.
#define TX_IDLE 0
#define TX_IN_DATA 1
#define TX_IN_HEADER 2
#define TX_START 3
#define TX_TAIL 4
#define TX_LAST 5

// Gaps between leading edges, as the TOP of Timer1 (cycles - 1): 193.6, 475.9 and 758.1 us.
#define GAP_ONE (1549 - 1)
#define GAP_ZERO (3807 - 1)
#define GAP_SYNC (6065 - 1)

// Registers used as one-cycle storage.
#define SENDING_FACES GPIOR0    // bit n: face n is sending
#define LIVE_FACES GPIOR1       // bit n: face n saw light within its last nine samples
#define MS_PENDING GPIOR2       // a millisecond has passed that the button has not seen yet

#endif
