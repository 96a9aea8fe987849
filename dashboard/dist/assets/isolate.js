function e(u){return`⁨${u.replace(/[\u202A-\u202E\u2066-\u2069]/g,"")}⁩`}export{e as i};
