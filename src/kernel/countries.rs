//! Two-letter country codes: those of ISO 3166-1, and `XK`, which is in use for Kosovo.

use std::{collections::HashMap, sync::LazyLock};

use crate::kernel::text;

/// All codes, in alphabetical order.
const CODES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR \
    BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET \
    FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ \
    IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML \
    MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS \
    PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL \
    TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

/// Names of countries as people write them in English, Spanish and their own language, folded, after their codes.
const NAMES: &str = "\
    AD andorra\n\
    AE united arab emirates, emiratos arabes unidos, uae\n\
    AL albania\n\
    AM armenia\n\
    AO angola\n\
    AR argentina\n\
    AT austria, osterreich\n\
    AU australia\n\
    AZ azerbaijan, azerbaiyan\n\
    BA bosnia and herzegovina, bosnia y herzegovina, bosnia\n\
    BD bangladesh\n\
    BE belgium, belgica, belgie, belgique\n\
    BG bulgaria\n\
    BH bahrain, bahrein\n\
    BO bolivia\n\
    BR brazil, brasil\n\
    BY belarus, bielorrusia\n\
    CA canada\n\
    CH switzerland, suiza, schweiz, suisse, svizzera\n\
    CI ivory coast, costa de marfil, cote d'ivoire\n\
    CL chile\n\
    CM cameroon, camerun\n\
    CN china\n\
    CO colombia\n\
    CR costa rica\n\
    CU cuba\n\
    CY cyprus, chipre\n\
    CZ czech republic, czechia, republica checa, chequia, cesko\n\
    DE germany, alemania, deutschland\n\
    DK denmark, dinamarca, danmark\n\
    DO dominican republic, republica dominicana\n\
    DZ algeria, argelia\n\
    EC ecuador\n\
    EE estonia, eesti\n\
    EG egypt, egipto\n\
    ES spain, espana, espanya\n\
    ET ethiopia, etiopia\n\
    FI finland, finlandia, suomi\n\
    FR france, francia\n\
    GB united kingdom, reino unido, great britain, gran bretana, uk, england, inglaterra, scotland, escocia, wales, gales, northern ireland, irlanda del norte\n\
    GE georgia\n\
    GH ghana\n\
    GQ equatorial guinea, guinea ecuatorial\n\
    GR greece, grecia\n\
    GT guatemala\n\
    HK hong kong\n\
    HN honduras\n\
    HR croatia, croacia, hrvatska\n\
    HU hungary, hungria, magyarorszag\n\
    ID indonesia\n\
    IE ireland, irlanda\n\
    IL israel\n\
    IN india\n\
    IQ iraq, irak\n\
    IR iran\n\
    IS iceland, islandia\n\
    IT italy, italia\n\
    JM jamaica\n\
    JO jordan, jordania\n\
    JP japan, japon\n\
    KE kenya, kenia\n\
    KR south korea, corea del sur, korea, corea, republic of korea\n\
    KW kuwait\n\
    KZ kazakhstan, kazajistan\n\
    LB lebanon, libano\n\
    LI liechtenstein\n\
    LK sri lanka\n\
    LT lithuania, lituania, lietuva\n\
    LU luxembourg, luxemburgo\n\
    LV latvia, letonia, latvija\n\
    MA morocco, marruecos, maroc\n\
    MC monaco\n\
    MD moldova, moldavia\n\
    ME montenegro\n\
    MK north macedonia, macedonia del norte\n\
    MT malta\n\
    MX mexico\n\
    MY malaysia, malasia\n\
    MZ mozambique\n\
    NG nigeria\n\
    NI nicaragua\n\
    NL netherlands, the netherlands, paises bajos, holland, holanda, nederland\n\
    NO norway, noruega, norge\n\
    NZ new zealand, nueva zelanda\n\
    PA panama\n\
    PE peru\n\
    PH philippines, filipinas\n\
    PK pakistan\n\
    PL poland, polonia, polska\n\
    PR puerto rico\n\
    PT portugal\n\
    PY paraguay\n\
    QA qatar, catar\n\
    RO romania, rumania\n\
    RS serbia, srbija\n\
    RU russia, rusia, russian federation, federacion rusa\n\
    SA saudi arabia, arabia saudi, arabia saudita\n\
    SE sweden, suecia, sverige\n\
    SG singapore, singapur\n\
    SI slovenia, eslovenia, slovenija\n\
    SK slovakia, eslovaquia, slovensko\n\
    SN senegal\n\
    SV el salvador\n\
    TH thailand, tailandia\n\
    TN tunisia, tunez\n\
    TR turkey, turquia, turkiye\n\
    TW taiwan\n\
    TZ tanzania\n\
    UA ukraine, ucrania\n\
    UG uganda\n\
    US united states, united states of america, usa, u.s.a., u.s., estados unidos, estados unidos de america, ee. uu., ee.uu., eeuu, america\n\
    UY uruguay\n\
    VE venezuela\n\
    VN vietnam, viet nam\n\
    ZA south africa, sudafrica\n\
";

/// The codes by name.
static BY_NAME: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let named = NAMES.lines().filter_map(|line| line.split_once(' '));
    named.flat_map(|(code, names)| names.split(',').map(move |name| (name.trim(), code))).collect()
});

/// Returns the code of the country that a text names: by its code or a usual name in English, Spanish or the language of
/// the country. None for names that are not known.
pub fn country_code(text: &str) -> Option<String> {
    let text = text.trim();
    let code = text.to_ascii_uppercase();
    if code.len() == 2 && is_country(&code) {
        return Some(code);
    }
    BY_NAME.get(text::fold(text).as_str()).map(|code| (*code).to_owned())
}

/// Whether a two-letter code is a country's.
pub fn is_country(code: &str) -> bool {
    CODES.split_ascii_whitespace().any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_countries_by_their_names() {
        for (text, code) in [
            ("Mexico", "MX"),
            ("México", "MX"),
            (" deutschland ", "DE"),
            ("ESPAÑA", "ES"),
            ("us", "US"),
            ("Estados Unidos", "US"),
            ("Türkiye", "TR"),
        ] {
            assert_eq!(country_code(text).as_deref(), Some(code), "{text}");
        }
        for text in ["", "Atlantis", "XX", "U"] {
            assert_eq!(country_code(text), None, "{text}");
        }
        assert!(BY_NAME.iter().all(|(name, code)| is_country(code) && text::fold(name) == *name));
    }

    #[test]
    fn accepts_exactly_the_250_country_codes() {
        assert_eq!(CODES.split_ascii_whitespace().count(), 250);
        assert!(CODES.split_ascii_whitespace().is_sorted());
        assert!(is_country("ES") && is_country("GB") && is_country("XK"));
        for bad in ["", "es", "UK", "XX", "ESP", "E", "AD AE"] {
            assert!(!is_country(bad), "{bad}");
        }
    }
}
