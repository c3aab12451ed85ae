// Fracture: every player owns the tiles of one color, and all start in one cluster. A turn breaks the cluster in two
// and joins the parts again in another way. A tile is happy when it touches at least two tiles and none of its own
// color; it shows that by blinking. A triple click gives a tile to the next team.

enum Team : byte { TEAM_RED, TEAM_BLUE, TEAM_YELLOW, TEAM_GREEN, TEAM_ORANGE, TEAM_MAGENTA };

#ifndef TEAMS
#define TEAMS 4   // 6 brings orange and magenta in
#endif

#define MIN_NEIGHBORS 2
#define BLINK_MS 250   // on, and as long off

static Team team = TEAM_RED;
static Timer blink;
static bool lit = true;

static Color colorOf(Team which);
static bool isHappy();

void setup() {}

void loop() {
    if (buttonMultiClicked() && buttonClickCount() == 3) {
        team = (Team)((team + 1) % TEAMS);
    }
    setValueSentOnAllFaces(team);

    if (!isHappy()) {
        lit = true;
        blink.set(BLINK_MS);   // a tile that becomes happy stays lit for a while first
    } else if (blink.isExpired()) {
        lit = !lit;
        blink.set(BLINK_MS);
    }
    setColor(lit ? colorOf(team) : OFF);
}

static Color colorOf(Team which) {
    switch (which) {
    case TEAM_RED: return RED;
    case TEAM_BLUE: return BLUE;
    case TEAM_YELLOW: return YELLOW;
    case TEAM_GREEN: return GREEN;
    case TEAM_ORANGE: return ORANGE;
    default: return MAGENTA;
    }
}

static bool isHappy() {
    byte neighbors = 0;
    FOREACH_FACE(f) {
        if (isValueReceivedOnFaceExpired(f)) {
            continue;
        }
        if (getLastValueReceivedOnFace(f) == team) {
            return false;
        }
        ++neighbors;
    }
    return neighbors >= MIN_NEIGHBORS;
}
